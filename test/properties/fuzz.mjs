/**
 * `npm run fuzz -- --minutes 10`: checks the properties, and how long each case takes. It does so
 * with other values again and again, until the time is over or a property fails.
 *
 * Names of files choose among the properties. `--seed` repeats the values of one round. `--stories`
 * is the number of stories that the Recording Trigger goes through on its simulated clock, each
 * with a seed of its own.
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
