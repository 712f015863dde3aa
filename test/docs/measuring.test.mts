import { runEntries } from './runEntries.mts';
import { measuring } from './tables/measuring.mts';

runEntries(measuring, ['file-decryptor']);
