import { runEntries } from './runEntries.mts';
import { benchmarks } from './tables/benchmarks.mts';

runEntries(benchmarks, ['file-decryptor']);
