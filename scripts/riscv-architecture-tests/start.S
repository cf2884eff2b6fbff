// The beginning of an image: a jump to the test, and where its signature is.
.section .start, "ax"
.option norvc
j rvtest_entry_point
.word begin_signature
.word end_signature
