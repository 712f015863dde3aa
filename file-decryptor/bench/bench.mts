/**
 * Compares the built program with simpler ones. A row is the median of several rounds, unless it
 * says otherwise.
 *
 * With VOICEAGENT_BENCH=quick, it only shows that it runs: there is one round and no large file,
 * and no aim is judged.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync } from 'node:fs';
import {
	availableParallelism,
	cpus,
	loadavg,
	release,
	tmpdir,
	totalmem,
	type as systemType,
} from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { LargeAudio } from '../test/support/largeRecording.mts';
import { program, testedNode } from '../test/support/program.mts';
import { Bench, type Times } from './measure.mts';
import { PASSWORD, references } from './references.mts';
import { Table } from './table.mts';

const options = new Command('npm run bench --')
	.option('--rounds <number>', 'how often everything is run', '7')
	.option('--folder <folder>', 'where to write', tmpdir())
	.option('--no-large', 'without the file of 3 GiB')
	.parse()
	.opts<{ rounds: string; folder: string; large: boolean }>();
const isQuick = process.env['VOICEAGENT_BENCH'] === 'quick';
const isLarge = options.large && !isQuick;
const rounds = isQuick ? 1 : Number(options.rounds);
const [load = 0] = loadavg();
const bench = new Bench(options.folder);
const table = new Table(!isQuick);

async function generate(name: string, bytes: number): Promise<string> {
	const path = join(bench.folder, name);
	await new LargeAudio(bytes).writeEncrypted(path, PASSWORD);
	return path;
}

function nodeVersion(): string {
	return execFileSync(testedNode, ['--version']).toString().trim().slice(1);
}

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
const ms = (time: number): string => `${time.toFixed(0)} ms`;

const SIZE = isQuick ? 8_000_000 : 500_000_000;
const input = await generate('big.enc', SIZE);
const small = await generate('small.enc', 20_000);
const output = join(bench.folder, 'reference.wav');
const ours = (file: string): string[] => [program, '-q', '-f', '-e', 'wav', file];

// First, while the disk has nothing else to do: a flush waits for what others wrote before.
console.error(`start-up, ${rounds * 3} rounds …`);
const startUp = bench.sideBySide(
	{
		verify: [program, '-q', '--dry-run', small],
		node: ['-e', '0'],
		key: ['-e', references.keyOnly],
		write: ours(small),
	},
	rounds * 3,
	false,
);
// The fastest start shows what the program itself costs: other work of the machine can only
// lengthen a start. The medians are printed, too.
for (const [title, pick] of [
	['fastest', ({ fastest }) => fastest],
	['median', ({ ms: time }) => time],
] as [string, (times: Times) => number][]) {
	const [verify = NaN, write = NaN, key = NaN, node = NaN] = ['verify', 'write', 'key', 'node'].map(
		(name) => pick(startUp[name] ?? { ms: NaN, fastest: NaN, peak: NaN }),
	);
	const against = `node -e 0 with key derivation: ${ms(key)}`;
	const isMeasure = title === 'fastest';
	const aim = isMeasure ? 'under 1.2' : '';
	const holds = isMeasure ? verify / key < 1.2 : null;
	table.row(
		`start-up, 20 kB, ${title}`,
		ms(verify),
		against,
		(verify / key).toFixed(2),
		aim,
		holds,
	);
	const ownShare = (verify - (key - node)) / node;
	table.row(
		'- less the key',
		ms(verify - (key - node)),
		`node -e 0: ${ms(node)}`,
		ownShare.toFixed(2),
		'',
		null,
	);
	table.row('- with writing and flush', ms(write), against, (write / key).toFixed(2), '', null);
}

console.error(`${mb(SIZE)}, ${rounds} rounds …`);
const big = bench.sideBySide(
	{
		ours: ours(input),
		bare: ['-e', references.bare, input, output, 'flush'],
		oneShot: ['-e', references.oneShot, input, output, 'flush'],
		bareUnflushed: ['-e', references.bare, input, output],
		oneShotUnflushed: ['-e', references.oneShot, input, output],
	},
	rounds,
);
const speed = (name: string): string => `${(SIZE / 1e3 / (big[name]?.ms ?? NaN)).toFixed(0)} MB/s`;
const ratio = (name: string): number => (big[name]?.ms ?? NaN) / (big['ours']?.ms ?? NaN);
for (const [name, title, aim, minimum] of [
	['bare', 'bare loop, flushed', 'at least 0.9', 0.9],
	['oneShot', 'one-shot, flushed', 'not slower', 1],
	['bareUnflushed', 'bare loop, not flushed', '', null],
	['oneShotUnflushed', 'one-shot, not flushed', '', null],
] as const) {
	table.row(
		`throughput, ${mb(SIZE)}`,
		speed('ours'),
		`${title}: ${speed(name)}`,
		ratio(name).toFixed(2),
		aim,
		minimum === null ? null : ratio(name) >= minimum,
	);
}
const peakOf = (name: string): number => big[name]?.peak ?? NaN;
table.row(
	`peak memory, ${mb(SIZE)}`,
	mb(peakOf('ours')),
	`one-shot: ${mb(peakOf('oneShot'))}`,
	(peakOf('oneShot') / peakOf('ours')).toFixed(1),
	'constant',
	null,
);
rmSync(output);

const GIBIBYTE = 1024 ** 3;
const { bavail, bsize } = statfsSync(bench.folder);
if (!isLarge || bavail * bsize < 7 * GIBIBYTE) {
	table.row(
		'peak memory, 3 GiB',
		'skipped',
		isLarge ? 'needs 7 GiB' : 'not asked for',
		'',
		'under 100 MB',
		null,
	);
} else {
	console.error('3 GiB, once …');
	const large = await generate('large.enc', 3 * GIBIBYTE);
	const { ms: took, peak } = bench.measure(ours(large));
	table.row(
		'peak memory, 3 GiB',
		mb(peak),
		`${mb(SIZE)}: ${mb(peakOf('ours'))}`,
		(peak / peakOf('ours')).toFixed(2),
		'under 100 MB',
		peak < 100e6,
	);
	table.row(
		'throughput, 3 GiB',
		`${((3 * GIBIBYTE) / 1e3 / took).toFixed(0)} MB/s`,
		'',
		'',
		'',
		null,
	);
}

const [cpu] = cpus();
console.log(
	`\n${cpu?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores, ` +
		`${(totalmem() / GIBIBYTE).toFixed(0)} GiB, ${systemType()} ${release()}, ` +
		`Node ${nodeVersion()}, load ${load.toFixed(1)} before; medians unless it says otherwise. ` +
		'Ratio of throughputs: above 1, FileDecryptor is faster. ' +
		'Ratio of times and of memory at 3 GiB: below 1, it needs less.\n',
);
console.log(table.toString());
process.exitCode = table.isMissed ? 1 : 0;
