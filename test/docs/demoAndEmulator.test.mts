import { publishEmulator } from './published.mts';
import { runEntries } from './runEntries.mts';
import { demo } from './tables/demo.mts';
import { emulator } from './tables/emulator.mts';

// One after the other: both use the documented port of the emulator.
runEntries([...demo, ...emulator], ['emulator'], publishEmulator);
