/** Builds the changed nodes for the engine. Types are not checked, because a change may break them. */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.');

for (const file of globSync('{nodes,credentials}/**/*.ts')) {
	const target = join('dist', file.replace(/\.ts$/, '.js'));
	mkdirSync(dirname(target), { recursive: true });
	const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
		compilerOptions: { ...options, isolatedModules: true },
	});
	writeFileSync(target, outputText);
}
for (const file of globSync('nodes/*/*.node.json')) cpSync(file, join('dist', file));
cpSync('icons', 'dist/icons', { recursive: true });
