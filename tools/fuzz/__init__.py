"""Random kernels, run by two engines that must agree."""
