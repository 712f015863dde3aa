module.exports = globalThis.n8nWorkflow;
