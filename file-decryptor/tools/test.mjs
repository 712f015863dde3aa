/**
 * `npm test`: builds the program, then runs the tests, or only those that are named:
 * `npm test -- output.test.mts`. Other arguments go to `node --test`.
 */
import { basename } from 'node:path';
import './build.mjs';
import { runOnNode24 } from './node24.mjs';

const args = process.argv.slice(2);
const files = args.filter((argument) => argument.endsWith('.mts'));
const options = args.filter((argument) => !argument.endsWith('.mts'));
const tests =
	files.length > 0 ? files.map((file) => `test/${basename(file)}`) : ['test/*.test.mts'];

runOnNode24(['--test', '--test-concurrency=2', ...options, ...tests]);
