// Stands in for global-agent, which only the install script of onnxruntime-node uses: that script downloads CUDA
// libraries of some hundred MB, which only workers with a GPU use: docs/operations.md says how they get them. It calls
// bootstrap first, and ends there (docs/decisions/0041-compiled-and-packed.md).
exports.bootstrap = () => process.exit(0);
