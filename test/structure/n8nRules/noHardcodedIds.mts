/**
 * A fixed id of a partner or an account would be the same for every user of the package. The
 * document names `.node.ts` files only. Here, all sources of the nodes and credentials count.
 */
import ts from 'typescript';

import type { PortedRule, SourceFile } from './rule.mts';

/** In any spelling: `partnerId`, `partner_id`, `X-Partner-ID`. */
const FIXED_ID = /(?:partner|affiliate|reseller|account|tenant|customer|client)[_-]?id$/i;

const example = (text: string): SourceFile => ({ path: 'Example.node.ts', text });

/** What a value is given to: a property, a variable or a member of a class. */
function nameOf(target: ts.Node): string {
	if (ts.isIdentifier(target) || ts.isStringLiteralLike(target)) return target.text;
	if (ts.isPropertyAccessExpression(target)) return target.name.text;
	if (ts.isElementAccessExpression(target)) return nameOf(target.argumentExpression);
	return '';
}

function isFixedText(value: ts.Expression | undefined): boolean {
	return value !== undefined && ts.isStringLiteralLike(value) && value.text !== '';
}

/** The name that a node of the syntax tree gives a fixed text to. */
function nameOfFixedText(node: ts.Node): string {
	const givesName =
		ts.isPropertyAssignment(node) ||
		ts.isVariableDeclaration(node) ||
		ts.isPropertyDeclaration(node);
	if (givesName && isFixedText(node.initializer)) return nameOf(node.name);
	const assigns =
		ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
	if (assigns && isFixedText(node.right)) return nameOf(node.left);
	return '';
}

export const noHardcodedIds: PortedRule<SourceFile> = {
	name: 'no-hardcoded-ids',
	level: 'error',
	document: 'd34996ae7415d34202e94aa52d37ffd8ca5284cb',
	demand: 'Read the id from a parameter of the node or from the credential.',
	problems({ path, text }) {
		const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
		const found: string[] = [];
		const visit = (node: ts.Node): void => {
			const name = nameOfFixedText(node);
			if (FIXED_ID.test(name)) found.push(name);
			ts.forEachChild(node, visit);
		};
		visit(file);
		return found;
	},
	correct: [
		example("const qs = { partner_id: this.getNodeParameter('partnerId', itemIndex) };"),
		example('const qs = { partnerId: credentials.partnerId };'),
		example("const field = { name: 'accountId', default: '' };"),
		example("const sessionId = 'one';"),
	],
	incorrect: [
		example("const options = { qs: { partner_id: 'fixed' } };"),
		example("const headers = { 'X-Partner-ID': 'fixed' };"),
		example("const tenantId = 'fixed';"),
		example('options.qs.accountId = `fixed`;'),
		example("options.qs['client_id'] = 'fixed';"),
		example("class Example { resellerId = 'fixed'; }"),
	],
};
