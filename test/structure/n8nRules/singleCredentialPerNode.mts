/**
 * A node uses one credential at a time. Of any two, `displayOptions.show` shows at most one: with
 * different values of one property that has a single value. `hide` does not count. A value that
 * cannot be compared may be the same.
 *
 * n8n's scanner reads the source, without comments, so that a value from another file cannot be
 * compared there. The built node is exact, so it is checked too.
 */
import {
	conditionsIn,
	type Credential,
	sameTimePairs,
	type Value,
} from './credentialConditions.mts';
import { type Description, nodeWith, type PortedRule, type SourceFile } from './rule.mts';

const name = 'single-credential-per-node';
const level = 'error';
const document = '489418ad7bf9c67bba11a932efe9f88b17d3e5fa';
const demand =
	"Let the node use one credential, or exclude each by 'displayOptions.show' on one property.";

const SINGLE_VALUED = ['options', 'boolean', 'string', 'number'];

export const singleCredentialInSource: PortedRule<SourceFile> = {
	name,
	level,
	document,
	demand,
	problems: ({ path, text }) => {
		if (!path.endsWith('.node.ts')) return [];
		const { credentials, hasSingleValue } = conditionsIn(path, text);
		return sameTimePairs(credentials, hasSingleValue).map((pair) => `${path}: ${pair}`);
	},
	correct: [
		source("[{ name: 'serviceApi', required: true }]"),
		source(alternatives("'apiKey'", "'oAuth2'")),
		source(alternatives("'apiKey', 'token'", "'oAuth2'")),
		source(alternatives('KEY', 'OAUTH'), "const KEY = 'apiKey'; const OAUTH = 'oAuth2';"),
		source(alternatives('Way.Key', 'Way.OAuth'), "enum Way { Key = 'apiKey', OAuth = 'oAuth2' }"),
		source(alternatives('Way.Key', 'Way.OAuth'), "import { Way } from './Way';"),
	],
	incorrect: [
		source("[{ name: 'serviceOAuth2Api' }, { name: 'senderProfile' }]"),
		source("[{ name: 'serviceApi' }, ...moreCredentials]"),
		source('credentialsOfAnotherFile'),
		source(alternatives("'apiKey', 'both'", "'both', 'oAuth2'")),
		source(alternatives("'apiKey'", "'oAuth2'").replaceAll('show', 'hide')),
		source(alternatives("'apiKey'", "'oAuth2'"), '', 'multiOptions'),
		source(alternatives('KEY', "'apiKey'"), "const KEY = 'apiKey';"),
		source(alternatives('KEY', "'oAuth2'"), "let KEY = 'apiKey';"),
		source(alternatives('KEY', "'oAuth2'"), "import { KEY } from './keys';"),
		source(alternatives('ways()', "'oAuth2'")),
		source(alternatives('Way.Key', 'Way.Old'), "enum Way { Key = 'apiKey', Old = 'apiKey' }"),
		source(alternatives('Way.Key', 'Way.Key'), "import { Way } from './Way';"),
		source(alternatives('Way.Key', "'apiKey'"), "import { Way } from './Way';"),
	],
};

export const singleCredentialOfNode: PortedRule<Description> = {
	name,
	level,
	document,
	demand,
	problems({ name: node, credentials = [], properties }) {
		const uses = credentials.map(({ name, displayOptions }): Credential => {
			const shownIf = new Map<string, Value[]>();
			for (const [property, values = []] of Object.entries(displayOptions?.show ?? {})) {
				shownIf.set(
					property,
					values.map((value) => ({ text: JSON.stringify(value) })),
				);
			}
			return { name, shownIf };
		});
		const hasSingleValue = (property: string) => {
			const same = properties.filter(({ name }) => name === property);
			return same.length > 0 && same.every(({ type }) => SINGLE_VALUED.includes(type));
		};
		return sameTimePairs(uses, hasSingleValue).map((pair) => `${node}: ${pair}`);
	},
	correct: [
		built(['apiKey'], ['oAuth2']),
		{ ...nodeWith(), credentials: [{ name: 'serviceApi' }] },
	],
	incorrect: [
		built(['apiKey', 'both'], ['both', 'oAuth2']),
		{ ...built(['apiKey'], ['oAuth2']), properties: [] },
		{ ...nodeWith(), credentials: [{ name: 'serviceOAuth2Api' }, { name: 'senderProfile' }] },
	],
};

function alternatives(one: string, other: string): string {
	return `[
		{ name: 'serviceApi', displayOptions: { show: { authentication: [${one}] } } },
		{ name: 'serviceOAuth2Api', displayOptions: { show: { authentication: [${other}] } } },
	]`;
}

function source(credentials: string, before = '', type = 'options'): SourceFile {
	const text = `${before}
		export class Example implements INodeType {
			description: INodeTypeDescription = {
				credentials: ${credentials},
				properties: [{ name: 'authentication', type: '${type}' }],
			};
		}`;
	return { path: 'Example.node.ts', text };
}

function built(one: string[], other: string[]): Description {
	return {
		...nodeWith({
			displayName: 'Authentication',
			name: 'authentication',
			type: 'options',
			default: '',
		}),
		credentials: [
			{ name: 'serviceApi', displayOptions: { show: { authentication: one } } },
			{ name: 'serviceOAuth2Api', displayOptions: { show: { authentication: other } } },
		],
	};
}
