import { prepareData } from '../data.mjs';
import { input, reply } from './io.mjs';

prepareData(input.folder, input.documents);
reply({});
