/**
 * A rule for ESLint: a list is an array, not a string that is split. It finds strings that the same
 * file says: a literal, a constant, and a member of a constant table.
 *
 * @typedef {import('estree').Node} Node
 * @typedef {import('eslint').Scope.Scope} Scope
 */

/** Two parts with a space or a usual separator between them. */
const LIST = /[^\s,;|][\s,;|]+[^\s,;|]/;

/** @type {import('eslint').Rule.RuleModule} */
export const noListInString = {
	meta: {
		type: 'suggestion',
		schema: [],
		messages: { list: 'Write the list as an array, not as a string that is split.' },
	},
	create: (context) => ({
		'CallExpression[callee.property.name="split"]'(
			/** @type {import('estree').CallExpression} */ node,
		) {
			if (node.callee.type !== 'MemberExpression') return;
			const strings = stringsIn(node.callee.object, context.sourceCode.getScope(node));
			if (strings.some((text) => LIST.test(text))) context.report({ node, messageId: 'list' });
		},
	}),
};

/**
 * @param {Node} node an expression
 * @param {Scope} scope that it stands in
 * @returns {string[]} all that it can be, as far as the file says
 */
function stringsIn(node, scope) {
	switch (node.type) {
		case 'Literal':
			return typeof node.value === 'string' ? [node.value] : [];
		case 'TemplateLiteral':
			return node.quasis.map(({ value }) => value.raw);
		case 'ObjectExpression':
			return node.properties.flatMap((property) =>
				property.type === 'Property' ? stringsIn(property.value, scope) : [],
			);
		case 'ArrayExpression':
			return node.elements.flatMap((element) => (element ? stringsIn(element, scope) : []));
		case 'MemberExpression':
			return stringsInMember(node, scope);
		case 'Identifier': {
			const constant = constantOf(node, scope);
			return constant ? stringsIn(constant, scope) : [];
		}
		default:
			return [];
	}
}

/**
 * A member that is named is this one. One that is computed can be each of them.
 *
 * @param {import('estree').MemberExpression} node
 * @param {Scope} scope
 */
function stringsInMember({ object, property, computed }, scope) {
	const table = object.type === 'Identifier' ? constantOf(object, scope) : object;
	if (!table) return [];
	if (computed || table.type !== 'ObjectExpression') return stringsIn(table, scope);
	const named = table.properties.find(
		(one) => one.type === 'Property' && isSameName(one.key, property),
	);
	return named?.type === 'Property' ? stringsIn(named.value, scope) : [];
}

/** @param {Node} key @param {Node} property */
const isSameName = (key, property) =>
	key.type === 'Identifier' && property.type === 'Identifier' && key.name === property.name;

/**
 * What a constant is set to, without `as const` and `satisfies`.
 *
 * @param {import('estree').Identifier} identifier
 * @param {Scope | null} scope
 * @returns {Node | undefined}
 */
function constantOf({ name }, scope) {
	for (let around = scope; around; around = around.upper) {
		const [definition] = around.set.get(name)?.defs ?? [];
		if (!definition) continue;
		const isConstant = definition.type === 'Variable' && definition.parent.kind === 'const';
		if (!isConstant || definition.node.id.type !== 'Identifier') return undefined;
		return withoutType(definition.node.init);
	}
	return undefined;
}

/**
 * @param {any} node TypeScript's own nodes are not in the types of ESLint
 * @returns {Node | undefined}
 */
function withoutType(node) {
	const isTyped = ['TSAsExpression', 'TSSatisfiesExpression'].includes(node?.type);
	return isTyped ? withoutType(node.expression) : (node ?? undefined);
}
