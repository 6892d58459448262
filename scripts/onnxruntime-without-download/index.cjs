// Stands in for global-agent, which only the install script of onnxruntime-node uses: that script downloads CUDA
// libraries of some hundred MB, which Firn does not use. It calls bootstrap first, and ends there
// (docs/decisions/0041-compiled-and-packed.md).
exports.bootstrap = () => process.exit(0);
