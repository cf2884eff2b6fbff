// Texts of the source in assembler directives.
#pragma once

// The literal that the assembler reads as the text of an argument: `"a == \"b\""` of a literal "a == \"b\"". Arguments
// that are macros are replaced first.
#define HALLMARK_QUOTED_AS_IS(literal) #literal
#define HALLMARK_QUOTED(literal) HALLMARK_QUOTED_AS_IS(literal)
