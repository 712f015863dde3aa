import type { Entry } from '../entry.mts';
import { contributing } from './contributing.mts';
import { demo } from './demo.mts';
import { emulator } from './emulator.mts';
import { fileDecryptor } from './fileDecryptor.mts';
import { measuring } from './measuring.mts';

export const entries: Entry[] = [
	...contributing,
	...measuring,
	...demo,
	...emulator,
	...fileDecryptor,
].flatMap((entry) => [entry, ...(entry.guests ?? [])]);
