/** `npm run bench`: builds the program, then measures it. */
import './build.mjs';
import { runOnNode24 } from './node24.mjs';

runOnNode24(['bench/bench.mts', ...process.argv.slice(2)]);
