import type { Entry } from '../entry.mts';
import { demo } from './demo.mts';
import { emulator } from './emulator.mts';
import { fileDecryptor } from './fileDecryptor.mts';
import { installation } from './installation.mts';
import { rare } from './rare.mts';

export const entries: Entry[] = [
	...demo,
	...emulator,
	...fileDecryptor,
	...installation,
	...rare,
].flatMap((entry) => [entry, ...(entry.guests ?? [])]);
