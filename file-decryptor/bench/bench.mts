/**
 * Measures the built programme side by side with what issue 5 compares it with. Every line is the median of several
 * rounds, and within a round everything is run once, so that a busy moment of the machine hits all of them.
 *
 * `npm run bench -- [--rounds 7] [--folder <where to write>] [--no-large]`
 *
 * With VOICEAGENT_BENCH=quick, there is one round and no large file, only to see that it runs. Aims are then not judged.
 */
import { spawnSync } from 'node:child_process';
import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import {
	closeSync,
	mkdtempSync,
	openSync,
	readFileSync,
	rmSync,
	statfsSync,
	writeFileSync,
	writeSync,
} from 'node:fs';
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
import { parseArgs } from 'node:util';
import { peakMemoryHook } from '../test/support/peakMemory.mts';

const { values } = parseArgs({
	options: {
		rounds: { type: 'string', default: '7' },
		folder: { type: 'string', default: tmpdir() },
		'no-large': { type: 'boolean', default: false },
	},
});
const isQuick = process.env['VOICEAGENT_BENCH'] === 'quick';
const isLarge = !values['no-large'] && !isQuick;
const rounds = isQuick ? 1 : Number(values.rounds);
const [load = 0] = loadavg();
const PASSWORD = 'bench';
const program = join(process.cwd(), 'dist', 'file-decryptor.cjs');
const folder = mkdtempSync(join(values.folder, 'file-decryptor-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));

const derive = `const key = require('crypto').pbkdf2Sync('${PASSWORD}', header.subarray(0, 16), 310000, 32, 'sha256');`;
const decipher = `${derive}
const decipher = require('crypto').createDecipheriv('aes-256-gcm', key, header.subarray(16), { authTagLength: 16 });`;

/** What somebody would write who needs nothing that the programme promises. */
const programs = {
	bare: `const fs = require('fs'), [, input, output, flush] = process.argv;
const file = fs.openSync(input), { size } = fs.fstatSync(file), header = Buffer.alloc(28), tag = Buffer.alloc(16);
fs.readSync(file, header, 0, 28, 0);
${decipher}
const out = fs.openSync(output, 'w'), buffer = Buffer.alloc(524288);
for (let at = 28; at < size - 16; ) {
	const length = fs.readSync(file, buffer, 0, Math.min(buffer.length, size - 16 - at), at);
	fs.writeSync(out, decipher.update(buffer.subarray(0, length)));
	at += length;
}
fs.readSync(file, tag, 0, 16, size - 16);
decipher.setAuthTag(tag).final();
if (flush) fs.fsyncSync(out);
fs.closeSync(out);`,
	oneShot: `const fs = require('fs'), [, input, output, flush] = process.argv;
const all = fs.readFileSync(input), header = all.subarray(0, 28);
${decipher}
decipher.setAuthTag(all.subarray(-16));
const plain = decipher.update(all.subarray(28, -16));
decipher.final();
const out = fs.openSync(output, 'w');
for (let at = 0; at < plain.length; ) at += fs.writeSync(out, plain, at);
if (flush) fs.fsyncSync(out);
fs.closeSync(out);`,
	keyOnly: `const header = Buffer.alloc(28); ${derive}`,
};

const hook = join(folder, 'hook.cjs');
writeFileSync(hook, peakMemoryHook);
const peakFile = join(folder, 'peak');

interface Sample {
	ms: number;
	peak: number;
}

function measure(args: readonly string[], withPeak = true): Sample {
	const start = performance.now();
	const { status, stderr } = spawnSync(
		process.execPath,
		[...(withPeak ? ['--require', hook] : []), ...args],
		{
			cwd: folder,
			env: { ...process.env, PEAK_MEMORY_FILE: peakFile, FILE_DECRYPTOR_PASSWORD: PASSWORD },
		},
	);
	const ms = performance.now() - start;
	if (status !== 0) throw new Error(`exit code ${status}: ${stderr.toString()}`);
	return { ms, peak: withPeak ? Number(readFileSync(peakFile, 'utf8')) : 0 };
}

function generate(name: string, bytes: number): string {
	const path = join(folder, name);
	const salt = randomBytes(16);
	const nonce = randomBytes(12);
	const cipher = createCipheriv(
		'aes-256-gcm',
		pbkdf2Sync(PASSWORD, salt, 310_000, 32, 'sha256'),
		nonce,
	);
	const file = openSync(path, 'wx');
	writeSync(file, Buffer.concat([salt, nonce]));
	const piece = randomBytes(4 * 1024 * 1024);
	piece.write('RIFF    WAVE');
	for (let left = bytes; left > 0; left -= piece.length) {
		writeSync(file, cipher.update(piece.subarray(0, Math.min(left, piece.length))));
	}
	cipher.final();
	writeSync(file, cipher.getAuthTag());
	closeSync(file);
	return path;
}

const median = (numbers: readonly number[]): number => {
	const sorted = [...numbers].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? NaN;
};

interface Times {
	/** Median. */
	ms: number;
	fastest: number;
	/** Highest. */
	peak: number;
}

function sideBySide(
	commands: Record<string, readonly string[]>,
	times: number,
	withPeak = true,
): Record<string, Times> {
	const samples: Record<string, Sample[]> = {};
	for (let round = 0; round < times; round += 1) {
		for (const [name, args] of Object.entries(commands)) {
			(samples[name] ??= []).push(measure(args, withPeak));
		}
	}
	return Object.fromEntries(
		Object.entries(samples).map(([name, all]) => [
			name,
			{
				ms: median(all.map(({ ms }) => ms)),
				fastest: Math.min(...all.map(({ ms }) => ms)),
				peak: Math.max(...all.map(({ peak }) => peak)),
			},
		]),
	);
}

const rows: string[][] = [];
let isMissed = false;
function row(
	what: string,
	value: string,
	against: string,
	ratio: string,
	aim: string,
	holds: boolean | null,
): void {
	const verdict = holds === null || isQuick ? '' : holds ? 'holds' : 'MISSED';
	if (holds === false && !isQuick) isMissed = true;
	rows.push([what, value, against, ratio, aim, verdict]);
}

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
const ms = (time: number): string => `${time.toFixed(0)} ms`;

const SIZE = isQuick ? 8_000_000 : 500_000_000;
const input = generate('big.enc', SIZE);
const small = generate('small.enc', 20_000);
const output = join(folder, 'reference.wav');
const ours = (file: string): string[] => [program, '-q', '-f', '-e', 'wav', file];

// First, while the disk has nothing else to do: a flush waits for what others have written before.
console.error(`start-up, ${rounds * 3} rounds …`);
const startUp = sideBySide(
	{
		verify: [program, '-q', '--dry-run', small],
		node: ['-e', '0'],
		key: ['-e', programs.keyOnly],
		write: ours(small),
	},
	rounds * 3,
	false,
);
// A start takes milliseconds, and whatever else the machine does can only lengthen it: the fastest one says what the
// programme itself costs. The medians are printed, too.
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
	row(`start-up, 20 kB, ${title}`, ms(verify), against, (verify / key).toFixed(2), aim, holds);
	const ownShare = (verify - (key - node)) / node;
	row(
		'- less the key',
		ms(verify - (key - node)),
		`node -e 0: ${ms(node)}`,
		ownShare.toFixed(2),
		'',
		null,
	);
	row('- with writing and flush', ms(write), against, (write / key).toFixed(2), '', null);
}

console.error(`${mb(SIZE)}, ${rounds} rounds …`);
const big = sideBySide(
	{
		ours: ours(input),
		bare: ['-e', programs.bare, input, output, 'flush'],
		oneShot: ['-e', programs.oneShot, input, output, 'flush'],
		bareUnflushed: ['-e', programs.bare, input, output],
		oneShotUnflushed: ['-e', programs.oneShot, input, output],
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
	row(
		`throughput, ${mb(SIZE)}`,
		speed('ours'),
		`${title}: ${speed(name)}`,
		ratio(name).toFixed(2),
		aim,
		minimum === null ? null : ratio(name) >= minimum,
	);
}
const peakOf = (name: string): number => big[name]?.peak ?? NaN;
row(
	`peak memory, ${mb(SIZE)}`,
	mb(peakOf('ours')),
	`one-shot: ${mb(peakOf('oneShot'))}`,
	(peakOf('oneShot') / peakOf('ours')).toFixed(1),
	'constant',
	null,
);
rmSync(output);

const GIBIBYTE = 1024 ** 3;
const { bavail, bsize } = statfsSync(folder);
if (!isLarge || bavail * bsize < 7 * GIBIBYTE) {
	row(
		'peak memory, 3 GiB',
		'skipped',
		isLarge ? 'needs 7 GiB' : 'not asked for',
		'',
		'under 150 MB',
		null,
	);
} else {
	console.error('3 GiB, once …');
	const large = generate('large.enc', 3 * GIBIBYTE);
	const { ms: took, peak } = measure(ours(large));
	row(
		'peak memory, 3 GiB',
		mb(peak),
		`${mb(SIZE)}: ${mb(peakOf('ours'))}`,
		(peak / peakOf('ours')).toFixed(2),
		'under 150 MB',
		peak < 150e6,
	);
	row('throughput, 3 GiB', `${((3 * GIBIBYTE) / 1e3 / took).toFixed(0)} MB/s`, '', '', '', null);
}

const [cpu] = cpus();
console.log(
	`\n${cpu?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores, ` +
		`${(totalmem() / GIBIBYTE).toFixed(0)} GiB, ${systemType()} ${release()}, Node ${process.versions.node}, ` +
		`load ${load.toFixed(1)} before; medians unless it says otherwise. Ratio of ` +
		'throughputs: above 1, FileDecryptor is faster. Ratio of times and of memory at 3 GiB: below 1, it needs less.\n',
);
printTable([['What', 'FileDecryptor', 'Compared with', 'Ratio', 'Aim', ''], ...rows]);
process.exitCode = isMissed ? 1 : 0;

/** As Markdown, to be pasted. */
function printTable(table: string[][]): void {
	const [head = []] = table;
	const widths = head.map((_, column) =>
		Math.max(3, ...table.map((cells) => cells[column]?.length ?? 0)),
	);
	const line = (cells: string[]): string =>
		`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
	console.log(line(head));
	console.log(line(widths.map((width) => '-'.repeat(width))));
	for (const cells of table.slice(1)) console.log(line(cells));
}
