/** Builds the changed nodes, and the unit tests beside them. Types are not checked, because a change may break them. */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.');

/** Puts `jest.mock(…)` before the imports, as jest does. @type {ts.TransformerFactory<ts.SourceFile>} */
const mocksFirst = (context) => (file) => {
	const isMock = (/** @type {ts.Statement} */ statement) =>
		ts.isExpressionStatement(statement) && /^jest\.mock\b/.test(statement.expression.getText(file));
	const { statements } = file;
	const others = statements.filter((statement) => !isMock(statement));
	return context.factory.updateSourceFile(file, [...statements.filter(isMock), ...others]);
};

for (const file of globSync('{nodes,credentials,test/unit,test/properties}/**/*.ts')) {
	const target = join('dist', file.replace(/\.ts$/, '.js'));
	mkdirSync(dirname(target), { recursive: true });
	const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
		compilerOptions: { ...options, isolatedModules: true },
		transformers: { before: [mocksFirst] },
	});
	// In a unit test, `jest` is made for its file.
	const isTest = file.startsWith('test/');
	writeFileSync(target, isTest ? `const jest = jestIn?.(module);${outputText}` : outputText);
}
for (const file of globSync('{nodes/*/*.node.json,test/properties/*.js}'))
	cpSync(file, join('dist', file));
cpSync('icons', 'dist/icons', { recursive: true });
