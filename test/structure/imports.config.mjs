/**
 * Rules for dependency-cruiser: which part may import which. `npm run lint:imports` shows the
 * imports that break a rule.
 */
const parts = '^(?:nodes|credentials|emulator|file-decryptor|harness|scripts|test)/';
const own = (/** @type {string[]} */ ...paths) => ({ path: parts, pathNot: paths });
const packages = 'node_modules/';
/** What the account and a session are. All of service/ may import them. */
const serviceGroundFloor = '^nodes/service/(?:apiCredential|sessionGuid)\\.ts$';

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const rules = [
	{
		name: 'no-circles',
		comment: 'Two files that import each other are one subject, or share a third.',
		from: {},
		to: { circular: true },
	},
	{
		name: 'no-missing-files',
		comment: 'An import that leads nowhere would be checked by no other rule.',
		from: {},
		// Node 20 does not know all modules of Node 24. `npm run test:mutation` installs Stryker.
		to: { couldNotResolve: true, pathNot: '^(?:node:|@stryker-mutator/)' },
	},
	{
		name: 'nodes-stand-side-by-side',
		comment: 'What two nodes need belongs in fields/, service/ or recordingFile/.',
		from: { path: '^nodes/([A-Z][^/]*)/' },
		to: { path: '^nodes/[A-Z][^/]*/', pathNot: '^nodes/$1/' },
	},
	{
		name: 'nodes-import-the-product-only',
		from: { path: '^nodes/' },
		to: own('^nodes/'),
	},
	{
		name: 'fields-stand-above-service',
		from: { path: '^nodes/fields/' },
		to: own('^nodes/(?:fields|service|recordingFile|data)/', '^nodes/[a-z][^/]*\\.ts$'),
	},
	{
		name: 'service-stands-above-recordingFile',
		from: { path: '^nodes/service/' },
		to: own('^nodes/(?:service|recordingFile|data)/', '^nodes/[a-z][^/]*\\.ts$'),
	},
	{
		name: 'folders-of-service-import-its-ground-floor-only',
		comment: 'The other files directly in service/ stand above its folders, and import from them.',
		from: { path: '^nodes/service/[^/]+/' },
		to: { path: '^nodes/service/[^/]+\\.ts$', pathNot: serviceGroundFloor },
	},
	{
		name: 'the-ground-floor-of-service-imports-nothing-of-service',
		from: { path: serviceGroundFloor },
		to: { path: '^nodes/service/' },
	},
	{
		name: 'list-stands-above-http',
		comment: 'How a list is read depends on how an answer arrives, and not the other way round.',
		from: { path: '^nodes/service/http/' },
		to: { path: '^nodes/service/list/' },
	},
	{
		name: 'recordingFile-knows-neither-n8n-nor-the-service',
		from: { path: '^nodes/recordingFile/' },
		to: {
			path: [parts, packages],
			pathNot: ['^nodes/recordingFile/', '^nodes/errors\\.ts$'],
		},
	},
	{
		name: 'data-knows-errors-only',
		from: { path: '^nodes/data/' },
		to: own('^nodes/data/', '^nodes/errors\\.ts$'),
	},
	{
		name: 'errors-are-the-ground-floor',
		from: { path: '^nodes/[a-z][^/]*\\.ts$' },
		to: own('^nodes/errors\\.ts$', '^nodes/errorTexts\\.ts$'),
	},
	{
		name: 'credentials-import-service-and-errors-only',
		from: { path: '^credentials/' },
		to: own('^credentials/', '^nodes/service/', '^nodes/[a-z][^/]*\\.ts$'),
	},
	{
		name: 'the-product-needs-no-package',
		comment: 'n8n brings n8n-workflow along; a verified node has no runtime dependencies.',
		from: { path: '^(?:nodes|credentials)/' },
		to: { path: packages, pathNot: `${packages}n8n-workflow/` },
	},
	{
		name: 'the-product-uses-crypto-only',
		comment: 'The modules of Node that n8n Cloud allows.',
		from: { path: '^(?:nodes|credentials)/' },
		to: { dependencyTypes: ['core'], pathNot: '^(?:node:)?crypto$' },
	},
	{
		name: 'emulator-stands-alone',
		from: { path: '^emulator/' },
		to: { path: [parts, packages], pathNot: '^emulator/' },
	},
	{
		name: 'file-decryptor-imports-recordingFile-only',
		comment: 'Besides the decryption, it needs the path of the Node that runs its tests.',
		from: { path: '^file-decryptor/' },
		to: {
			path: [parts, packages],
			pathNot: [
				'^file-decryptor/',
				'^nodes/recordingFile/',
				'^nodes/errors\\.ts$',
				'^scripts/paths\\.mjs$',
			],
		},
	},
	{
		name: 'harness-imports-emulator-and-scripts-only',
		comment: 'It drives the built package; sources of the product are for unit tests.',
		from: { path: '^harness/' },
		to: own('^harness/', '^emulator/', '^scripts/'),
	},
	{
		name: 'scripts-stand-below-everything',
		comment: 'They run before anything is installed.',
		from: { path: '^scripts/', pathNot: '^scripts/eslint\\.config\\.mjs$' },
		to: {
			path: [parts, packages],
			pathNot: ['^scripts/', '^emulator/src/end-with-npm\\.mjs$'],
		},
	},
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
	forbidden: rules.map((rule) => ({ ...rule, severity: 'error' })),
	options: {
		doNotFollow: { path: packages },
		exclude: { path: '^(?:harness/runtime|dist)/|/dist/' },
		// Imports of types alone count too.
		tsPreCompilationDeps: true,
		enhancedResolveOptions: {
			extensions: ['.ts', '.mts', '.mjs', '.js', '.json'],
			exportsFields: ['exports'],
			conditionNames: ['import', 'require', 'node', 'types', 'default'],
		},
	},
};
