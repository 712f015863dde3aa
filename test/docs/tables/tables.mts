import type { Entry } from '../entry.mts';
import { benchmarks } from './benchmarks.mts';
import { contributing } from './contributing.mts';
import { demo } from './demo.mts';
import { emulator } from './emulator.mts';
import { fileDecryptor } from './fileDecryptor.mts';
import { installation } from './installation.mts';

export const entries: Entry[] = [
	...contributing,
	...benchmarks,
	...demo,
	...emulator,
	...fileDecryptor,
	...installation,
].flatMap((entry) => [entry, ...(entry.guests ?? [])]);
