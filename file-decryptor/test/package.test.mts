import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { wav } from './support/audio.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { cleanEnvironment, packageFolder, program, run, testedNode } from './support/program.mts';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const shell = process.platform === 'win32';

test('the program is one file that works anywhere', async () => {
	const folder = temporaryFolder();
	copyFileSync(program, join(folder, 'file-decryptor.cjs'));
	write(folder, 'call.enc', await encrypt(wav(100), 'secret'));
	execFileSync(testedNode, ['file-decryptor.cjs', '-q', '*.enc', 'secret', 'wav'], {
		cwd: folder,
		env: { PATH: '' },
	});
	assert.deepEqual(readdirSync(folder), ['call.enc', 'call.wav', 'file-decryptor.cjs']);
});

test("it holds the package's own decryption code, and needs nothing but Node", () => {
	const code = readFileSync(program, 'utf8');
	for (const file of ['recordingFile/encryptedRecording', 'recordingFile/chunks', 'errors']) {
		assert.ok(code.includes(`// ../nodes/${file}.ts`), file);
	}
	const needed = [...code.matchAll(/\b(?:require|import)\(\s*["']([^"']+)["']\s*\)/g)].map(
		([, name = '']) => name.replace(/^node:/, ''),
	);
	assert.ok(needed.length > 0);
	assert.deepEqual(
		needed.filter((name) => !builtinModules.includes(name)),
		[],
	);
});

test('its own sources hold no second decryption', () => {
	for (const name of readdirSync(join(packageFolder, 'src'))) {
		const code = readFileSync(join(packageFolder, 'src', name), 'utf8');
		assert.doesNotMatch(code, /createDecipher|pbkdf2|subtle/, name);
	}
});

describe('the packed package', () => {
	const folder = temporaryFolder();
	const environment = { ...cleanEnvironment(), npm_config_cache: join(folder, 'cache') };
	let tarball: string;
	before(() => {
		// This packs what `npm test` has built. To build again would take the file from other tests.
		const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
		const output = execFileSync(npm, args, { cwd: packageFolder, env: environment, shell });
		const [{ filename, files }] = JSON.parse(output.toString()) as [
			{ filename: string; files: { path: string }[] },
		];
		assert.deepEqual(files.map(({ path }) => path).sort(), [
			'LICENSE.md',
			'README.md',
			'dist/THIRD-PARTY-LICENSES.txt',
			'dist/file-decryptor.cjs',
			'package.json',
		]);
		tarball = join(folder, filename);
	});

	test('gives the commands FileDecryptor and file-decryptor, without a registry', async () => {
		const prefix = join(folder, 'prefix');
		const install = ['install', '--global', '--offline', '--prefix', prefix, tarball];
		execFileSync(npm, install, { cwd: folder, env: environment, shell });
		write(folder, 'call.enc', await encrypt(wav(100), 'secret'));
		const bin = process.platform === 'win32' ? prefix : join(prefix, 'bin');
		for (const command of ['FileDecryptor', 'file-decryptor']) {
			const { status, stderr } = spawnSync(
				join(bin, command),
				['-f', 'call.enc', 'secret', 'wav'],
				{ cwd: folder, env: environment, shell },
			);
			assert.equal(status, 0, stderr?.toString());
			assert.equal(readFileSync(join(folder, 'call.wav')).length, 100);
		}
	});

	test('runs with npx', async () => {
		const args = ['exec', '--offline', '--yes', `--package=${tarball}`, '--'];
		const output = execFileSync(npm, [...args, 'FileDecryptor', '--version'], {
			cwd: folder,
			env: environment,
			shell,
		});
		assert.match(output.toString(), /^\d+\.\d+\.\d+\n$/);
	});

	test('has no runtime dependencies and no install scripts', () => {
		const manifest = JSON.parse(
			readFileSync(join(packageFolder, 'package.json'), 'utf8'),
		) as Record<string, Record<string, string> | undefined>;
		for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies']) {
			assert.equal(manifest[kind], undefined, kind);
		}
		for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
			assert.equal(manifest['scripts']?.[script], undefined, script);
		}
	});
});

test('runs on Node 24, too', async () => {
	const folder = temporaryFolder();
	write(folder, 'call.enc', await encrypt(wav(1_000_000), 'secret'));
	const { code, stderr } = await run(['call.enc', 'secret', 'wav'], {
		cwd: folder,
		node: process.execPath,
	});
	assert.equal(code, 0, stderr);
	assert.match(stderr, /^Warning: [^\n]*\ncall\.enc -> call\.wav \(wav, 1\.0 MB\)\n$/);
});
