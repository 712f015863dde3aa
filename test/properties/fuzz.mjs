/**
 * `npm run fuzz -- --minutes 10`: checks the properties with other values again and again, and how long each case takes,
 * until the time is over or one fails. `--seed` repeats the values of one round; names of files choose among them.
 */
import { run, stopOnSignals } from '../../scripts/command.mjs';
import { readOptions } from '../../scripts/options.mjs';

const { values, positionals } = readOptions({
	options: { minutes: { type: 'string', default: '0' }, seed: { type: 'string' } },
	allowPositionals: true,
});
const minutes = Number(values.minutes);
const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!(minutes >= 0) || !Number.isInteger(first)) {
	console.error('--minutes is a number, and --seed a whole one, such as --minutes 10 --seed 42.');
	process.exit(2);
}

stopOnSignals(() => {});
const endMs = Date.now() + minutes * 60_000;
for (let seed = first; process.exitCode === undefined; seed++) {
	const code = await run('npm', ['run', '--silent', 'test:properties', '--', ...positionals], {
		env: { PROPERTIES_SEED: String(seed), PROPERTIES_TIMED: 'yes' },
	});
	if (code !== 0) {
		console.log(
			`\nThe same values again: npm run fuzz -- --seed ${[seed, ...positionals].join(' ')}`,
		);
		process.exitCode = 1;
	}
	if (Date.now() >= endMs) break;
}
