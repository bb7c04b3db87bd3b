"""What verbs share: options, output, progress, how processors, kernels and devices are named."""
