/** Tells Stryker what to leave as it is: texts for a reader, and the descriptions of fields and nodes for the editor. */
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const TEXTS = ['displayName', 'description', 'hint', 'placeholder', 'action'];
/** What the literal of an operation says of it. Its functions are not part of the description. */
const OF_OPERATION = ['name', 'value', 'action', 'description', 'credentials', 'fields'];

/** @param {any} object @returns {string[]} */
const keysOf = (object) =>
	object?.type === 'ObjectExpression'
		? object.properties.map((/** @type {any} */ property) => property.key?.name)
		: [];

/** @param {any} path @returns {string | undefined} why it is left as it is */
function shouldIgnore(path) {
	const { node, parent } = path;
	const isLoaded = !path.getFunctionParent();
	const keys = isLoaded ? keysOf(node) : [];
	if (keys.includes('displayName') || keys.includes('defaultOperation')) return 'a description';
	if (node.type !== 'ObjectProperty') return undefined;
	const { name } = node.key;
	if (TEXTS.includes(name) && /^(String|Template)Literal$/.test(node.value.type)) return 'a text';
	const isOperation = isLoaded && keysOf(parent).includes('action');
	return isOperation && OF_OPERATION.includes(name) ? 'a description' : undefined;
}

export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, 'descriptions', { shouldIgnore }),
];
