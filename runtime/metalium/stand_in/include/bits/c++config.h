// Over the host's header of this name: a kernel has no threads.
#pragma once
#include_next <bits/c++config.h>
#undef _GLIBCXX_HAS_GTHREADS
#undef _GLIBCXX_HAVE_LINUX_FUTEX
