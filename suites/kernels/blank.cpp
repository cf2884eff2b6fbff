// Does nothing.

void kernel_main() {}
