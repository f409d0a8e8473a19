// Starts tslab's own kernel, as its `tslab kernel` does, in a folder where blocklab can be imported.
const { startKernel } = require("tslab/dist/main.js");

startKernel({ configPath: process.argv[2], enableFindLocal: false });
