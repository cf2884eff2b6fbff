// In place of the host's header of this name, which Debian's C++ headers include: a kernel has no threads.
#pragma once
#define _GLIBCXX_OS_DEFINES 1
