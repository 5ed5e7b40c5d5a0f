/** The job by which an adapter returns the memory of its process in megabytes. An unknown one returns the most it ever held. */
export const memoryNow = "memory now";

/** The job by which an adapter returns the processor time of all its threads in microseconds. */
export const processorUs = "processor time";
