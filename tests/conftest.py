"""What all tests share: kernels run in simulation and leave no settings behind."""
