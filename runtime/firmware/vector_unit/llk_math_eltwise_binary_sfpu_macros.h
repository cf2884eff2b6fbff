// Kernels include this file before functions of two tiles in Dst. It holds nothing that they name.
#pragma once
