/**
 * `npm run bench`: speed and memory of the nodes, each figure a ratio to something measured in the same run.
 * Writes docs/benchmarks.md. Nothing here is asserted by a test, because machines differ.
 *
 * With VOICEAGENT_BENCH=quick, everything runs once on little data, to check that it works. The page then goes to .cache/,
 * because its figures mean nothing.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { dirname, join, relative } from 'node:path';

import { startStack } from '../../harness/stack.mts';
import { compareWithHandBuiltFlow, type Comparison } from './handBuiltFlow.mts';
import { measureDecryption, type DecryptionSpeed } from './decryption.mts';
import { measureLargeDownload, type LargeDownload } from './largeDownload.mts';
import { isQuick } from './measure.mts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = join(ROOT, isQuick ? '.cache/bench/benchmarks.md' : 'docs/benchmarks.md');

async function main(): Promise<void> {
	console.log('Decryption alone …');
	const decryption = await measureDecryption();
	console.log('Starting the emulated service and n8n …');
	const stack = await startStack({
		n8n: { binaryMode: 'filesystem', env: { NODE_FUNCTION_ALLOW_BUILTIN: 'crypto' } },
	});
	try {
		const large = await measureLargeDownload(stack, isQuick ? 5_000_000 : 1024 ** 3);
		const comparisons = [
			await compareWithHandBuiltFlow(stack, { recordings: isQuick ? 2 : 20, sizeBytes: 5_000_000 }),
			await compareWithHandBuiltFlow(stack, { recordings: isQuick ? 2 : 100, sizeBytes: 300_000 }),
		];
		const page = render(decryption, large, comparisons);
		await mkdir(dirname(PAGE), { recursive: true });
		await writeFile(PAGE, page);
		console.log(`\n${page}\nWritten to ${relative(ROOT, PAGE)}`);
	} finally {
		await stack.stop();
	}
}

function render(
	decryption: readonly DecryptionSpeed[],
	large: LargeDownload,
	comparisons: readonly Comparison[],
): string {
	const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
	const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
	return `# Benchmarks

Written by \`npm run bench\` on ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${megabytes(totalmem())} of memory, Node ${process.versions.node} (for n8n too), n8n 2.41.1, binary data mode filesystem, load average ${loadavg()[0]?.toFixed(1)} at the end (this run alone makes about 1). Absolute figures hold for this machine at that moment; the ratios are what to compare.

## Against HTTP Request + Code

The same encrypted recordings from the same emulated service in the same n8n: this node (Download, 4 items at once) against n8n's HTTP Request node followed by a Code node that decrypts with \`node:crypto\`. Runs alternate; medians of ${comparisons[0]?.runs ?? 0}.

| Recordings | This node | HTTP Request + Code | Ratio |
|---|---|---|---|
${comparisons
	.map(
		({ recordings, sizeBytes, nodeMs, handBuiltMs, ratio }) =>
			`| ${recordings} × ${megabytes(sizeBytes).replace(/^0 MB$/, '300 kB')} | ${seconds(nodeMs)} | ${seconds(handBuiltMs)} | ${ratio.toFixed(1)} |`,
	)
	.join('\n')}

## One large recording

${megabytes(large.sizeBytes)} encrypted, downloaded with decryption: ${seconds(large.durationMs)}. The n8n process grew by ${megabytes(large.growthBytes)} at its peak, from ${megabytes(large.beforeBytes)}.

## Decryption alone

Against a bare loop over \`createDecipheriv\` on the same bytes in the same pieces, in memory, without key derivation. Medians of ${decryption[0]?.runs ?? 0}, alternating.

| Pieces | This package | Bare loop | Ratio |
|---|---|---|---|
${decryption
	.map(
		({ chunkBytes, ours, bare, ratio }) =>
			`| ${chunkBytes / 1024} KiB | ${Math.round(ours)} MB/s | ${Math.round(bare)} MB/s | ${ratio.toFixed(2)} |`,
	)
	.join('\n')}
`;
}

await main();
