import { publishFileDecryptor } from './published.mts';
import { runEntries } from './runEntries.mts';
import { fileDecryptor } from './tables/fileDecryptor.mts';

runEntries(fileDecryptor, ['file-decryptor'], publishFileDecryptor);
