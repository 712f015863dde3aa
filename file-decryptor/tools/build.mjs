/** `npm run build`: makes one file that needs only Node, and the licenses of what is in it. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('..', import.meta.url));
const dist = join(folder, 'dist');
const file = join(dist, 'file-decryptor.cjs');

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
const { metafile } = await build({
	absWorkingDir: folder,
	entryPoints: ['src/cli.mts'],
	outfile: file,
	bundle: true,
	platform: 'node',
	target: 'node20',
	format: 'cjs',
	banner: { js: '#!/usr/bin/env node' },
	// Readable for auditors. Only what is never called is left out.
	minify: false,
	treeShaking: true,
	legalComments: 'inline',
	metafile: true,
	// Its ES module asks for its own URL, which a CommonJS file does not have.
	alias: { tinyglobby: './node_modules/tinyglobby/dist/index.cjs' },
	plugins: [withoutChildProcess()],
	logLevel: 'warning',
});
chmodSync(file, 0o755);

const packages = [
	...new Set(
		Object.keys(metafile.inputs).flatMap(
			(input) => /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? [],
		),
	),
].sort();
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), packages.map(licenseOf).join('\n'));
// Not to the standard output, which is the name of the package after `npm pack --silent`.
console.error(
	`dist/file-decryptor.cjs: ${Math.round(readFileSync(file).length / 1024)} KiB, ` +
		`with ${packages.length} packages in it`,
);

/**
 * Commander loads `node:child_process` for subcommands that are programs of their own. There are
 * none here, and loading it takes a tenth of the start-up.
 *
 * @returns {import('esbuild').Plugin}
 */
function withoutChildProcess() {
	return {
		name: 'without-child-process',
		setup({ onResolve, onLoad }) {
			onResolve({ filter: /^node:child_process$/ }, ({ path }) => ({ path, namespace: 'unused' }));
			onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
		},
	};
}

/** @param {string} path of the package, from the folder */
function licenseOf(path) {
	const { name, version, license } = JSON.parse(
		readFileSync(join(folder, path, 'package.json'), 'utf8'),
	);
	const text = ['LICENSE', 'LICENSE.md', 'LICENSE-MIT.txt', 'LICENSE.txt', 'license', 'LICENCE']
		.map((candidate) => join(folder, path, candidate))
		.map((candidate) => {
			try {
				return readFileSync(candidate, 'utf8').trim();
			} catch {
				return '';
			}
		})
		.find((candidate) => candidate !== '');
	if (text === undefined) throw new Error(`${name} ${version} has no license text.`);
	return `${name} ${version} (${license})\n\n${text}\n\n${'-'.repeat(72)}\n`;
}
