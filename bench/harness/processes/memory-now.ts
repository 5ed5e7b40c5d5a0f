/** The job by which an adapter returns the memory of its process in megabytes. Any other returns the most it ever held. */
export const memoryNow = "memory now";
