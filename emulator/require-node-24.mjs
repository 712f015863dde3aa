// Plain JavaScript on purpose: it has to run on an old Node to be able to say so.
const major = Number.parseInt(process.versions.node, 10);
if (major < 24) {
	console.error(
		`The emulator needs Node 24 or newer, and this is Node ${process.versions.node}.\n` +
			'On Linux and Windows, "npm install" in this folder brings Node 24 along for npm start and\n' +
			'npm test. On other systems install Node 24 or newer: https://nodejs.org/en/download',
	);
	process.exit(1);
}
