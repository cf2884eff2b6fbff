// How Grayskull's cores are started and set up.
#pragma once

#include "brisc_starts_others.h"
