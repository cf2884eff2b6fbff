// Functions of TT-Metalium 0.81.1 that Hallmark's compute API does not have yet. A kernel may name them, but not call them.
#pragma once

#include "hallmark/refused.h"
#include "hallmark/vector_functions.h"

#define HALLMARK_NOT_COMPUTED(name)                                                                            \
    HALLMARK_REFUSED(                                                                                          \
        name, "Hallmark's compute API does not have this function of TT-Metalium 0.81.1 yet; a test or capture " \
              "that needs it runs with --device metalium:SITE@ttsim:PATH")
