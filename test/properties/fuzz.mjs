/**
 * `npm run fuzz -- --minutes 10`: checks the properties with other values again and again, and how long each case takes,
 * until the time is over or one fails. `--seed` repeats the values of one round; names of files choose among them.
 * `--stories 10000` is how many stories the simulated clock of the Recording Trigger has, one for each seed.
 */
import { run, stopOnSignals } from '../../scripts/command.mjs';
import { readOptions } from '../../scripts/options.mjs';

const { values, positionals } = readOptions({
	options: {
		minutes: { type: 'string', default: '0' },
		seed: { type: 'string' },
		stories: { type: 'string', default: '300' },
	},
	allowPositionals: true,
});
const minutes = Number(values.minutes);
const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!(minutes >= 0) || !Number.isInteger(first) || !(Number(values.stories) >= 1)) {
	console.error(
		'--minutes and --stories are numbers, and --seed a whole one: --minutes 10 --seed 42.',
	);
	process.exit(2);
}

stopOnSignals(() => {});
const endMs = Date.now() + minutes * 60_000;
for (let seed = first; process.exitCode === undefined; seed += Number(values.stories)) {
	const code = await run('npm', ['run', '--silent', 'test:properties', '--', ...positionals], {
		env: {
			PROPERTIES_SEED: String(seed),
			PROPERTIES_STORIES: values.stories,
			PROPERTIES_TIMED: 'yes',
		},
	});
	if (code !== 0) {
		console.log(
			`\nThe same values again: npm run fuzz -- --seed ${[seed, ...positionals].join(' ')}`,
		);
		process.exitCode = 1;
	}
	if (Date.now() >= endMs) break;
}
