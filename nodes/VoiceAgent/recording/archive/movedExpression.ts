import { ExpressionParser } from 'n8n-workflow';

import type { NodeBefore, Way } from './history';

/**
 * The expression of another node, evaluated for this one. n8n evaluates an expression only as if it
 * stood in this node, and only now. So the expression is moved here: code around it gives it the
 * item that the other node got, and it may use only references that mean the same in both nodes.
 */

type Chunks = ReturnType<typeof ExpressionParser.splitExpression>;

/**
 * A reference to something of n8n: `$json.a`, `$input.item`, `$('Name').item`. Its groups are the
 * name behind the $, a node in brackets, and one field with its dot. In the quotes, a backslash
 * makes the next character a part of the name of the node.
 */
const REFERENCE = /\$([\w$]*)(\((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\))?(\??\.\w+)?/g;
/** Names that mean the same in each node: the item that it got, and what the workflow shares. */
const MOVABLE_NAMES = ['json', 'binary', 'env', 'vars', 'workflow'];
/** The rest of `$input` depends on all items that a node got, and only one of them is known. */
const MOVABLE_OF_INPUT = ['.item'];
/**
 * n8n traces `$('Name').item` from the item. `.first()` and `.params` do not depend on the item.
 * `.all()` and `.last()` are left out: they change with each item that the named node outputs
 * later.
 */
const MOVABLE_OF_NODE = ['.item', '.first', '.params'];

/**
 * The text and the code of an expression, without its `=`; `undefined` if n8n may end the code
 * elsewhere once something is put around it. It would take `}}` in the code for the end.
 */
function chunksOf(expression: string): Chunks | undefined {
	const chunks = ExpressionParser.splitExpression(expression);
	const isEndClear = chunks.every(
		(chunk) => chunk.type === 'text' || (chunk.hasClosingBrackets && !chunk.text.includes('}}')),
	);
	return isEndClear ? chunks : undefined;
}

/** The first reference that may mean something else in this node; `undefined` if there is none. */
function unmovableReference(chunks: Chunks): string | undefined {
	const codes = chunks.filter((chunk) => chunk.type === 'code');
	const references = codes.flatMap(({ text }) => [...text.matchAll(REFERENCE)]);
	return references.find((reference) => !isMovable(reference))?.[0];
}

/** Whether a reference means the same in each node, given the item that the other node got. */
function isMovable([, name = '', node = '', field = '']: RegExpExecArray): boolean {
	if (MOVABLE_NAMES.includes(name)) return true;
	if (name === 'input' && node === '') return MOVABLE_OF_INPUT.includes(field);
	return name === '' && node !== '' && MOVABLE_OF_NODE.includes(field);
}

/** What a parameter was for an item, or why that is not known. */
type Evaluated = { value: string } | { problem: string };

/**
 * A parameter of another node, as that node has evaluated it for an item.
 *
 * @param name of a parameter that holds text
 */
export function parameterAsIn(node: NodeBefore, name: string, way: Way): Evaluated {
	const entered = node.parameters[name];
	if (typeof entered !== 'string') return { problem: '' };
	if (!entered.startsWith('=')) return { value: entered };
	const chunks = chunksOf(entered.slice(1));
	if (!chunks) return { problem: '' };
	const reference = unmovableReference(chunks);
	if (reference !== undefined) {
		const hint = "use only $json, $binary, $input.item, and $('Name').item or .first()";
		return { problem: `, because of ${reference}: ${hint}` };
	}
	try {
		return { value: evaluateAsIn(node, chunks, way) };
	} catch {
		return { problem: '' };
	}
}

/**
 * Evaluates an expression as another node has evaluated it for an item.
 *
 * @throws whatever the code of the expression throws, such as for an item that is not known
 */
function evaluateAsIn(
	node: NodeBefore,
	chunks: Chunks,
	{ context, itemIndex, steps }: Way,
): string {
	const given = itemGivenTo(node, steps);
	const moved = chunks.map(({ type, text }) =>
		type === 'code' ? `{{ ${asIfIn(given, text)} }}` : text,
	);
	return String(context.evaluateExpression(moved.join(''), itemIndex));
}

/**
 * Code of another node for this one: `$json`, `$binary` and `$input` are what that node got. For
 * the code `$json.url`, given `$("Put").item`:
 *
 * ```js
 * (({ $json, $binary, $input }) => ($json.url))(((item) => ({ $json: … }))($("Put").item))
 * ```
 *
 * @param given the item that the other node got, as code
 */
function asIfIn(given: string, code: string): string {
	// In n8n's combined binary mode, an item is its JSON.
	const names =
		'(item) => ({ $json: item?.json ?? item, $binary: item?.binary, $input: { item } })';
	return `(({ $json, $binary, $input }) => (${code}))((${names})(${given}))`;
}

/** The item that a node got, as code of an expression of this node. */
function itemGivenTo({ feeders }: NodeBefore, steps: Way['steps']): string {
	const passed: NodeBefore[] = [];
	for (const { node, item } of steps) {
		const isFeeder = feeders.some(({ name }) => name === node.name);
		if (isFeeder && item !== undefined) passed.push(node);
	}
	// Of several feeders that the item has passed, the last one gave it: the one that is before none
	// of the others. In a loop, each may be before the other. Then the item is not known.
	const [last, ...others] = passed.filter((one) =>
		passed.every((other) => !other.before.has(one.name)),
	);
	const isClear = last !== undefined && others.length === 0;
	return isClear ? `$(${JSON.stringify(last.name)}).item` : 'undefined';
}
