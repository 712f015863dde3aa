/** When a node shows its credentials, and which of them at the same time. */
import ts from 'typescript';

/**
 * What a condition compares a property with. A member of an enum in another file has a name only,
 * and what cannot be compared at all has neither.
 */
export interface Value {
	text?: string;
	member?: { of: string; name: string };
}

export interface Credential {
	name: string;
	/** The values for which it is shown, for each property. */
	shownIf: ReadonlyMap<string, readonly Value[]>;
}

interface SourceConditions {
	credentials: Credential[];
	/** Whether the source does not say that a property has several values. */
	hasSingleValue(property: string): boolean;
}

/** @returns each two credentials that can be shown at the same time */
export function sameTimePairs(
	credentials: readonly Credential[],
	hasSingleValue: (property: string) => boolean,
): string[] {
	return credentials.flatMap((one, index) =>
		credentials
			.slice(index + 1)
			.filter((other) => !excludeEachOther(one, other, hasSingleValue))
			.map((other) => `${one.name} and ${other.name}`),
	);
}

function excludeEachOther(
	one: Credential,
	other: Credential,
	hasSingleValue: (property: string) => boolean,
): boolean {
	for (const [property, values] of one.shownIf) {
		const others = other.shownIf.get(property);
		if (others === undefined || !hasSingleValue(property)) continue;
		const haveOneInCommon = values.some((value) => others.some((it) => !differ(value, it)));
		if (!haveOneInCommon) return true;
	}
	return false;
}

/** Whether they are known to be different. */
function differ(one: Value, other: Value): boolean {
	if (one.text !== undefined && other.text !== undefined) return one.text !== other.text;
	if (one.member === undefined || other.member === undefined) return false;
	return one.member.of === other.member.of && one.member.name !== other.member.name;
}

/** The credentials that the classes of a file describe, as far as its source shows them. */
export function conditionsIn(path: string, text: string): SourceConditions {
	const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
	const known = knownValues(file);
	const credentials: Credential[] = [];
	const severalValues = new Set<string>();
	for (const statement of file.statements.filter(ts.isClassDeclaration)) {
		const description = statement.members
			.filter(ts.isPropertyDeclaration)
			.find((member) => member.name.getText() === 'description')?.initializer;
		credentials.push(...credentialsIn(property(description, 'credentials'), known));
		for (const parameter of elementsOf(property(description, 'properties')) ?? []) {
			const type = property(parameter, 'type')?.getText() ?? '';
			const name = property(parameter, 'name');
			if (type.includes('multiOptions') && name && ts.isStringLiteral(name)) {
				severalValues.add(name.text);
			}
		}
	}
	return { credentials, hasSingleValue: (name) => !severalValues.has(name) };
}

function credentialsIn(list: ts.Expression | undefined, known: KnownValues): Credential[] {
	if (list === undefined) return [];
	const elements = elementsOf(list);
	if (elements) return elements.map((element) => credentialOf(element, known));
	// A list that is not written out may have any number of credentials: it counts as two.
	const unknown = { name: list.getText(), shownIf: new Map<string, Value[]>() };
	return [unknown, unknown];
}

/** Conditions that are not written out are left out, as if it were shown in any case. */
function credentialOf(element: ts.Expression, known: KnownValues): Credential {
	const shownIf = new Map<string, Value[]>();
	const show = property(property(element, 'displayOptions'), 'show');
	for (const condition of propertiesOf(show)) {
		const values = elementsOf(condition.initializer)?.map((value) => valueOf(value, known));
		if (values) shownIf.set(nameIn(condition), values);
	}
	const name = property(element, 'name') ?? element;
	return { name: ts.isStringLiteral(name) ? name.text : name.getText(), shownIf };
}

/** The constants and enums at the top level of a file. Imported names have no value here. */
type KnownValues = ReadonlyMap<string, ts.Expression | 'imported' | undefined>;

function knownValues(file: ts.SourceFile): KnownValues {
	const known = new Map<string, ts.Expression | 'imported' | undefined>();
	for (const statement of file.statements) {
		if (ts.isVariableStatement(statement)) {
			if (!(statement.declarationList.flags & ts.NodeFlags.Const)) continue;
			for (const { name, initializer } of statement.declarationList.declarations) {
				known.set(name.getText(), initializer);
			}
		}
		if (ts.isEnumDeclaration(statement)) {
			for (const { name, initializer } of statement.members) {
				known.set(`${statement.name.text}.${name.getText()}`, initializer);
			}
		}
		if (ts.isImportDeclaration(statement)) {
			const bindings = statement.importClause?.namedBindings;
			if (!bindings || !ts.isNamedImports(bindings)) continue;
			for (const { name } of bindings.elements) known.set(name.text, 'imported');
		}
	}
	return known;
}

function valueOf(expression: ts.Expression, known: KnownValues): Value {
	const plain = withoutType(expression);
	const isNumberOrBoolean =
		ts.isNumericLiteral(plain) ||
		plain.kind === ts.SyntaxKind.TrueKeyword ||
		plain.kind === ts.SyntaxKind.FalseKeyword;
	if (ts.isStringLiteralLike(plain)) return { text: JSON.stringify(plain.text) };
	if (isNumberOrBoolean) return { text: plain.getText() };
	const value = known.get(plain.getText());
	if (value !== undefined && value !== 'imported') return valueOf(value, known);
	if (!ts.isPropertyAccessExpression(plain)) return {};
	const of = plain.expression.getText();
	return known.get(of) === 'imported' ? { member: { of, name: plain.name.text } } : {};
}

/** Without `as const` and the like. */
function withoutType(expression: ts.Expression): ts.Expression {
	const isWrapped =
		ts.isAsExpression(expression) ||
		ts.isSatisfiesExpression(expression) ||
		ts.isParenthesizedExpression(expression);
	return isWrapped ? withoutType(expression.expression) : expression;
}

/** @returns undefined for what is not a list that is written out */
function elementsOf(expression: ts.Expression | undefined): readonly ts.Expression[] | undefined {
	if (expression === undefined) return undefined;
	const list = withoutType(expression);
	return ts.isArrayLiteralExpression(list) ? list.elements : undefined;
}

function propertiesOf(expression: ts.Expression | undefined): ts.PropertyAssignment[] {
	if (expression === undefined) return [];
	const object = withoutType(expression);
	if (!ts.isObjectLiteralExpression(object)) return [];
	return object.properties.filter(ts.isPropertyAssignment);
}

function property(object: ts.Expression | undefined, name: string): ts.Expression | undefined {
	return propertiesOf(object).find((one) => nameIn(one) === name)?.initializer;
}

function nameIn({ name }: ts.PropertyAssignment): string {
	return ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : name.getText();
}
