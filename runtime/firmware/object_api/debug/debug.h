// Kernels of TT-NN include it. Beside the vendor's compiler it is a header of its C++ library, which declares nothing for them.
#pragma once
