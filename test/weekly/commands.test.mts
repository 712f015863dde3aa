import { runEntries } from '../docs/runEntries.mts';
import { rare } from '../docs/tables/rare.mts';

runEntries(rare, ['file-decryptor']);
