/** Runs FileDecryptor's tests of its core, the quickest first, until one fails. Builds the changed program before. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';

const FILES = ['standardStreams', 'vectors', 'decrypt', 'passwords', 'refuse', 'fullOutput'];
const folder = join(import.meta.dirname, '../../file-decryptor');

// Once for all changes: the program has them all in it.
if (!existsSync(join(folder, 'dist'))) await import('../../file-decryptor/tools/build.mjs');
run({ files: FILES.map((name) => join(folder, 'test', `${name}.test.mts`)), isolation: 'none' })
	.on('test:fail', () => process.exit(1))
	.resume();
