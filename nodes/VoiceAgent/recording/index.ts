export { checkArchive } from './checkArchive.operation';
export { decryptRecording } from './decrypt.operation';
export { deleteRecording } from './delete.operation';
export { downloadRecording } from './download.operation';
export { getMany } from './getMany.operation';
