/**
 * `node keyProcess.mts <number of keys>`: derives keys on all processors, as recordings need them,
 * and does nothing else. Prints `ready`, begins when a line arrives, and prints the milliseconds.
 */
import { pbkdf2, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { promisify } from 'node:util';

const derive = promisify(pbkdf2);
let left = Number(process.argv[2]);
const work = async () => {
	while (left-- > 0) await derive('password', randomBytes(16), 310_000, 32, 'sha256');
};

console.log('ready');
await once(process.stdin, 'data');
const start = performance.now();
await Promise.all([work(), work(), work(), work()]);
console.log(performance.now() - start);
process.stdin.destroy();
