"""What several commands share: options, completion, help, tables, files of answers, last errors."""
