import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';

import rules from './imports.config.mjs';

const ROOT = join(import.meta.dirname, '../..');
const PARTS = ['nodes', 'credentials', 'emulator', 'file-decryptor', 'harness', 'scripts', 'test'];

interface Found {
	modules: number;
	/** `from → to`, by rule. */
	violations: Map<string, string[]>;
}

async function check(baseDir: string, parts: string[]): Promise<Found> {
	const { options, forbidden } = rules;
	const { enhancedResolveOptions, ...others } = options ?? {};
	const { output } = await cruise(
		parts,
		{ ...(others as ICruiseOptions), baseDir, ruleSet: { forbidden }, validate: true },
		{ ...enhancedResolveOptions },
	);
	const { modules, summary } = output as ICruiseResult;
	const violations = Map.groupBy(summary.violations, ({ rule }) => rule.name);
	return {
		modules: modules.length,
		violations: new Map(
			[...violations].map(([name, found]) => [
				name,
				found.map(({ from, to }) => `${from} → ${to}`),
			]),
		),
	};
}

/** For each rule, files that break it. */
const offenders: Record<string, Record<string, string>> = {
	'no-circles': { 'harness/first.mts': "import type { Second } from './second.mts';" },
	'no-missing-files': { 'harness/lost.mts': "import './absent.mts';" },
	'nodes-stand-side-by-side': { 'nodes/Alpha/beta.ts': "import '../Beta/beta';" },
	'nodes-import-the-product-only': { 'nodes/Alpha/tool.ts': "import '../../harness/tool.mts';" },
	'fields-stand-above-service': { 'nodes/fields/node.ts': "import '../Beta/beta';" },
	'service-stands-above-recordingFile': {
		'nodes/service/fields.ts': "import type { Field } from '../fields/field';",
	},
	'recordingFile-knows-neither-n8n-nor-the-service': {
		'nodes/recordingFile/service.ts': "import '../service/transport';",
		'nodes/recordingFile/n8n.ts': "import 'n8n-workflow';",
		'nodes/recordingFile/translation.ts': "import '../nodeError';",
	},
	'data-knows-errors-only': { 'nodes/data/time.ts': "import '../service/transport';" },
	'errors-are-the-ground-floor': { 'nodes/errors.ts': "import './service/transport';" },
	'credentials-import-service-and-errors-only': {
		'credentials/format.ts': "import '../nodes/recordingFile/format';",
	},
	'the-product-needs-no-package': { 'nodes/Beta/package.ts': "import 'undici';" },
	'the-product-uses-crypto-only': { 'nodes/Beta/files.ts': "import 'node:fs';" },
	'emulator-stands-alone': { 'emulator/tool.mts': "import '../harness/tool.mts';" },
	'file-decryptor-imports-recordingFile-only': {
		'file-decryptor/service.mts': "import '../nodes/service/transport.ts';",
	},
	'harness-imports-emulator-and-scripts-only': {
		'harness/test.mts': "import '../test/one.test.mts';",
	},
	'scripts-stand-below-everything': {
		'scripts/tool.mjs': "import '../harness/tool.mts';",
		'scripts/package.mjs': "import 'undici';",
	},
};

/** What they import. */
const imported = {
	'harness/second.mts': "import './first.mts';",
	'harness/tool.mts': '',
	'nodes/Beta/beta.ts': '',
	'nodes/fields/field.ts': '',
	'nodes/recordingFile/format.ts': '',
	'nodes/service/transport.ts': '',
	'test/one.test.mts': '',
	'node_modules/n8n-workflow/index.js': '',
	'node_modules/undici/index.js': '',
};

const allowed = {
	'nodes/nodeError.ts': "import './errors'; import 'n8n-workflow';",
	'nodes/fields/check.ts': "import '../nodeError'; import '../service/transport';",
	'nodes/Beta/secret.ts': "import 'node:crypto'; import 'n8n-workflow'; import '../fields/field';",
	'file-decryptor/decrypt.mts': "import '../nodes/recordingFile/format.ts'; import 'node:fs';",
};

suite('the imports', () => {
	test('point down and never in a circle', async () => {
		const { modules, violations } = await check(ROOT, PARTS);
		assert.deepEqual([...violations], []);
		assert.ok(modules > 150, `Only ${modules} files were read.`);
	});

	suite('a file that breaks a rule is found', () => {
		const folder = realpathSync(mkdtempSync(join(tmpdir(), 'voiceagent-imports-')));
		after(() => rmSync(folder, { recursive: true, force: true }));
		const offending = Object.assign({}, ...Object.values(offenders)) as Record<string, string>;
		for (const [path, content] of Object.entries({ ...offending, ...imported, ...allowed })) {
			mkdirSync(dirname(join(folder, path)), { recursive: true });
			writeFileSync(join(folder, path), content);
		}
		const found = check(folder, PARTS);

		for (const { name = '' } of rules.forbidden ?? []) {
			test(name, async () => {
				const { violations } = await found;
				const from = violations.get(name)?.map((violation) => violation.split(' → ')[0]);
				// A circle is reported from one of its files.
				const wanted = Object.keys(offenders[name] ?? {});
				if (name !== 'no-circles') assert.deepEqual(from?.sort(), wanted.sort());
				else assert.match(String(from), /^harness\/(?:first|second)\.mts$/);
			});
		}

		test('what the rules allow is not found', async () => {
			const { violations } = await found;
			const refused = [...violations.values()]
				.flat()
				.filter((violation) => Object.keys(allowed).some((path) => violation.startsWith(path)));
			assert.deepEqual(refused, []);
		});
	});
});
