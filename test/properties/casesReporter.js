const { SEED } = require('./seed.js');

/** Prints the seed first, and last how many cases there were. */
module.exports = class {
	onRunStart() {
		console.log(
			`Seed ${SEED}: the same values come again with \`npm run fuzz -- --seed ${SEED}\`.`,
		);
	}

	onRunComplete(_contexts, { testResults }) {
		const cases = testResults
			.flatMap(({ testResults }) => testResults)
			.filter(({ status }) => status === 'passed')
			.reduce((sum, { title }) => sum + Number(/\((\d+) cases\)$/.exec(title)?.[1] ?? 0), 0);
		console.log(`${cases} cases passed with seed ${SEED}.`);
	}
};
