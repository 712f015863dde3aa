/**
 * `npm run build`: makes the package as it is published, in dist/. It is JavaScript, and runs on an
 * older Node than the sources. So its manifest leaves out what brings Node 24 along for them.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OLDEST_NODE } from '../src/oldest-node.mjs';

const folder = join(import.meta.dirname, '..');
const dist = join(folder, 'dist');
rmSync(dist, { recursive: true, force: true });

const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
	cwd: folder,
	stdio: 'inherit',
});
// The compiler leaves these out.
for (const data of ['audio/samples', 'profiles']) {
	cpSync(join(folder, 'src', data), join(dist, 'lib', data), { recursive: true });
}

const {
	private: _,
	scripts,
	devDependencies,
	optionalDependencies,
	...manifest
} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const published = {
	...manifest,
	engines: { node: `>=${OLDEST_NODE}` },
	bin: 'lib/cli.mjs',
	exports: { types: './lib/index.d.mts', default: './lib/index.mjs' },
	files: ['lib', 'FAULTS.md'],
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published, null, '\t')}\n`);
for (const page of ['README.md', 'FAULTS.md']) {
	copyFileSync(join(folder, page), join(dist, page));
}
copyFileSync(join(folder, '../LICENSE.md'), join(dist, 'LICENSE.md'));
